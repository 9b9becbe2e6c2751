-- The database of labels. Positions count from 0, in the order in which documents came.
create table about (key text primary key, value text not null) without rowid;
-- Lists of documents to label; the text is that of a plan by `hungjury plan`, else empty.
create table plans (
    plan integer primary key,
    digest text not null unique,
    name text not null,
    text text not null,
    at text not null
);
create table items (
    item integer primary key,
    topic text not null,
    document text not null,
    plan integer references plans,  -- the first that has it; null: a label was brought in
    unique (topic, document)
);
create table judges (
    judge integer primary key,
    name text not null unique,
    token text not null
);
-- What was shown to whom, in this order: to be labelled, or adjudicated.
create table dealt (
    turn integer primary key autoincrement,
    item integer not null references items,
    judge integer not null references judges,
    adjudicated integer not null,
    unique (item, judge, adjudicated)
);
-- Nothing is deleted: an answer that was taken back is marked.
create table answers (
    answer integer primary key autoincrement,
    item integer not null references items,
    judge integer not null references judges,
    grade integer,  -- null: skipped
    reason text not null,
    note text not null,
    seconds real not null,
    at text not null,
    adjudicated integer not null,
    undone integer not null default 0
);
create unique index one_answer on answers (item, judge, adjudicated) where not undone;
-- Every label; those that people gave by themselves; and the one that counts: an adjudicated one,
-- else the one that came first.
create view labels as
    select i.topic, i.document, j.name as judge, a.grade as label, a.adjudicated, a.seconds, a.at,
        a.note, coalesce(p.digest, '') as plan, i.item,
        (select min(b.answer) from answers b where b.item = a.item and b.judge = a.judge
            and b.adjudicated = a.adjudicated) as came
    from answers a join items i using (item) join judges j using (judge)
    left join plans p using (plan)
    where not a.undone and a.grade is not null;
create view votes as select topic, document, judge, label from labels where not adjudicated;
create view gold as
    select topic, document, label from (
        select *, row_number() over (partition by item order by adjudicated desc, came) as place
        from labels
    ) where place = 1 order by item;
