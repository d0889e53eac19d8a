"use strict";

const byId = (id) => document.getElementById(id);
const buttons = ["execute", "step", "stop", "reset"];
const words = {
  ready: "ready",
  running: "running",
  paused: "paused",
  waits: "waits for you",
  completed: "completed",
  error: "failed",
};

async function post(path, body) {
  const options = { method: "POST" };
  if (body !== undefined) {
    options.headers = { "content-type": "application/json" };
    options.body = JSON.stringify(body);
  }
  let problem = "";
  try {
    const response = await fetch(path, options);
    if (!response.ok) problem = await response.text();
  } catch {
    problem = "the program does not answer";
  }
  byId("problem").textContent = problem;
  byId("problem").hidden = problem === "";
  return problem === "";
}

function button(text, act) {
  const made = document.createElement("button");
  made.textContent = text;
  made.addEventListener("click", act);
  return made;
}

function showWaits(waits) {
  const section = byId("waits");
  section.replaceChildren();
  section.hidden = waits.length === 0;
  const answer = async (body) => (await post("/answer", body)) && post("/execute");
  for (const wait of waits) {
    const text = document.createElement("p");
    if (wait.kind === "question") {
      text.textContent = wait.text;
      section.append(text, button("Approve", () => answer({ approve: wait.id })), button("Refuse", () => answer({ deny: wait.id })));
    } else {
      text.textContent = `A call of ${wait.tool} began, and nobody knows whether it has run.`;
      section.append(text, button("Repeat it", () => answer("repeat_calls")), button("Tell the model", () => answer("tell_model")));
    }
  }
}

function showSnapshot(snapshot) {
  const { status, settings, summary } = snapshot;
  document.title = snapshot.title;
  byId("title").textContent = snapshot.title;
  const at = snapshot.current.length > 0 && status !== "completed" ? ` at ${snapshot.current.join(", ")}` : "";
  byId("status").textContent = words[status] + at;
  byId("status").dataset.status = status;
  byId("execute").disabled = byId("step").disabled = status === "running" || status === "completed";
  byId("stop").disabled = status !== "running";
  byId("reset").disabled = status === "running";
  // The program has escaped all texts of the drawing, and the page allows no scripts in it.
  byId("drawing").innerHTML = snapshot.drawing;
  byId("contexts").textContent = JSON.stringify(snapshot.contexts, null, 2);
  byId("summary").textContent =
    `${summary.totalSteps} steps, ${summary.automatedTransitions} automated, ${summary.agentDecisions} decisions of the agent, ` +
    `${summary.toolsConstructed} tools constructed, ${summary.toolImprovementsProposed} improved, ${summary.totalTokens} tokens`;
  for (const id of ["model", "key", "save"]) byId(id).disabled = settings.isScripted;
  if (document.activeElement !== byId("model")) byId("model").value = settings.isScripted ? "a script" : settings.model;
  byId("key").placeholder = settings.hasKey ? "set" : "from the environment";
  showWaits(snapshot.waits);
}

function showLine(line) {
  const item = document.createElement("li");
  item.className = line.kind;
  const time = document.createElement("time");
  time.dateTime = line.time;
  time.textContent = new Date(line.time).toLocaleTimeString();
  item.append(time, line.text);
  byId("log").append(item);
  if (byId("scroll").checked) byId("log").scrollTop = byId("log").scrollHeight;
}

for (const id of buttons) byId(id).addEventListener("click", () => post(`/${id}`));
byId("save").addEventListener("click", async () => {
  if (await post("/settings", { model: byId("model").value, key: byId("key").value })) byId("key").value = "";
});

const events = new EventSource("/events");
events.addEventListener("clear", () => byId("log").replaceChildren());
events.addEventListener("line", (event) => showLine(JSON.parse(event.data)));
events.addEventListener("snapshot", (event) => showSnapshot(JSON.parse(event.data)));
events.addEventListener("error", () => {
  // The page connects again by itself, and then receives everything anew.
  byId("status").textContent = "the program does not answer";
});
