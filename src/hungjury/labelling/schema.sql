-- The database of labels. Positions count from 0 in the plan's order.
create table about (key text primary key, value text not null) without rowid;
create table items (
    item integer primary key,
    topic text not null,
    document text not null,
    probability real,
    unique (topic, document)
);
create table judges (
    judge integer primary key,
    name text not null unique,
    token text not null
);
-- What was shown to whom, in this order.
create table dealt (
    turn integer primary key autoincrement,
    item integer not null references items,
    judge integer not null references judges,
    adjudicated integer not null,
    unique (item, judge)
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
create unique index one_answer on answers (item, judge) where not undone;
-- Every label, and the one that counts: an adjudicated one, else the one that came first.
create view labels as
    select i.topic, i.document, j.name as judge, a.grade as label, a.adjudicated, a.seconds, a.at,
        a.note, i.item, i.probability,
        (select min(b.answer) from answers b where b.item = a.item and b.judge = a.judge) as came
    from answers a join items i using (item) join judges j using (judge)
    where not a.undone and a.grade is not null;
create view gold as
    select topic, document, label from (
        select *, row_number() over (partition by item order by adjudicated desc, came) as place
        from labels
    ) where place = 1 order by item;
