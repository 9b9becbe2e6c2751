
  // ---- data: a header in JSON and columns of numbers, compressed
  const kinds = { u1: Uint8Array, u2: Uint16Array, u4: Uint32Array,
    i1: Int8Array, i2: Int16Array, i4: Int32Array, f4: Float32Array };
  const NOT_KNOWN = -32768;
  async function unpack(block) {
    const letters = atob(block), bytes = new Uint8Array(letters.length);
    for (let i = 0; i < letters.length; i++) bytes[i] = letters.charCodeAt(i);
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
    const buffer = await new Response(stream).arrayBuffer();
    let at = 4 + new DataView(buffer).getUint32(0, true);
    const head = JSON.parse(new TextDecoder().decode(new Uint8Array(buffer, 4, at - 4)));
    for (const [name, [kind, count]] of Object.entries(head.columns)) {
      const stop = at + count * Number(kind[1]);
      head[name] = new kinds[kind](buffer.slice(at, stop));
      at = stop;
    }
    return head;
  }
  const data = await unpack(document.getElementById("data").textContent);

