// Draws the texts of the page's data, and leaves what a reader sees of each in `#result` as JSON.
const { texts, options } = JSON.parse(document.getElementById("data").textContent);
const decoder = document.createElement("textarea");

// Mermaid keeps an entity code as marks around its number until a diagram is drawn.
function decode(text) {
  decoder.innerHTML = text
    .replaceAll("ﬂ°°", "&#")
    .replaceAll("ﬂ°", "&")
    .replaceAll("¶ß", ";")
    .replaceAll("<", "&lt;");
  return decoder.value.trim();
}

function edgesOf(db) {
  if (db.getRelations) {
    const label = (id) => decode(db.getClasses().get(id).label);
    return db.getRelations().map(({ id1, id2 }) => [label(id1), label(id2)]);
  }
  const label = (id) => decode(db.getVertices().get(id).text);
  return db.getEdges().map(({ start, end }) => [label(start), label(end)]);
}

function shownIn(svg) {
  const blocks = svg.querySelectorAll("foreignObject, text");
  return [...blocks].map((block) => block.textContent.trim()).filter(Boolean);
}

function unsafeIn(svg) {
  const found = [];
  for (const element of svg.querySelectorAll("*")) {
    if (/^(a|script|iframe|img|image|object|embed|link|form|input|video|audio|math|i|b|em|strong)$/i
      .test(element.localName)) found.push(element.outerHTML.slice(0, 200));
    for (const { name, value } of element.attributes)
      if (/^on|^(xlink:)?href$|^src$/i.test(name)) found.push(`${name}=${value}`.slice(0, 200));
  }
  return found;
}

async function readOne(text, number) {
  const result = { error: "", edges: [], svg: "", shown: [], unsafe: [] };
  try {
    const { db } = await mermaid.mermaidAPI.getDiagramFromText(text);
    result.edges = edgesOf(db);
    result.svg = (await mermaid.render(`diagram${number}`, text)).svg;
    const holder = document.createElement("template");
    holder.innerHTML = result.svg;
    result.shown = shownIn(holder.content);
    result.unsafe = unsafeIn(holder.content);
    if (holder.content.querySelector(".error-icon")) result.error = "drawn as an error";
  } catch (error) {
    result.error = String(error.message ?? error) || "unknown";
  }
  return result;
}

(async () => {
  mermaid.initialize(options);
  const results = [];
  for (const [number, text] of texts.entries()) results.push(await readOne(text, number));
  document.getElementById("result").textContent = JSON.stringify(results);
})();
