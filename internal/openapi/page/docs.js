// A form that gets an access token, and for each operation one that makes the call with
// it.
"use strict";

const form = document.getElementById("credentials");
const message = document.getElementById("message");
let token = "";

const showMessage = (text, state) => {
  message.textContent = text;
  message.dataset.state = state;
};

form.addEventListener("submit", async (event) => {
  event.preventDefault();
  const id = form.elements.id.value, secret = form.elements.secret.value;
  try {
    // Without credentials: "omit", the browser opens its login dialog on a 401.
    const response = await fetch("/auth/token?grant_type=client_credentials", {
      method: "POST",
      credentials: "omit",
      headers: { Authorization: "Basic " + btoa(id + ":" + secret) },
    });
    const body = await response.json();
    if (!response.ok) {
      showMessage(`${response.status}: ${body.error_description}`, "bad");
      return;
    }
    token = body.access_token;
    showMessage("The token and the API key are now sent with every call, for 12 hours or until you leave this page.", "good");
  } catch (error) {
    showMessage(String(error), "bad");
  }
});

// show replaces what the form shows by the response, all of it as text.
const show = (output, status, text) => {
  const line = document.createElement("p"), body = document.createElement("pre");
  line.textContent = status;
  try {
    body.textContent = JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    body.textContent = text;
  }
  output.replaceChildren(line, body);
};

for (const call of document.querySelectorAll("form.try")) {
  call.addEventListener("submit", async (event) => {
    event.preventDefault();
    const output = call.querySelector("output");
    const query = new URLSearchParams(), headers = new Headers(), credentials = call.dataset.path === "/auth/token";
    let path = call.dataset.path, body;
    for (const field of call.querySelectorAll("[data-in]")) {
      const value = field.value;
      switch (field.dataset.in) {
        case "path": path = path.replace(`{${field.name}}`, encodeURIComponent(value)); break;
        case "query": if (value !== "") query.set(field.name, value); break;
        case "header": if (value !== "") headers.set(field.name, value); break;
        case "file": if (field.files.length) { body = new FormData(); body.append("file", field.files[0]); } break;
        case "body": if (value !== "") { body = value; headers.set("Content-Type", field.dataset.type); } break;
      }
    }
    if (token && !credentials) headers.set("Authorization", "Bearer " + token);
    if (!credentials) headers.set("x-api-key", form.elements.key.value);
    try {
      const url = path + (query.size ? "?" + query : "");
      const response = await fetch(url, { method: call.dataset.method, headers, body, credentials: "omit" });
      const hint = response.headers.get("X-Understudy-Hint");
      show(output, `${call.dataset.method} ${url}: ${response.status}` + (hint ? `. ${hint}` : ""), await response.text());
    } catch (error) {
      show(output, String(error), "");
    }
  });
}
