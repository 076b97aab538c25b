// The page of the API's document: Swagger UI, and a button that fetches a token
// and hands it to every call.
"use strict";

const form = document.getElementById("credentials");
const told = document.getElementById("told");

const ui = SwaggerUIBundle({
  url: "/openapi.yaml",
  dom_id: "#ui",
  deepLinking: true,
  tryItOutEnabled: true,
  displayRequestDuration: true,
  defaultModelsExpandDepth: 0,
  validatorUrl: null,
});

const tell = (text, state) => {
  told.textContent = text;
  told.dataset.state = state;
};

form.addEventListener("submit", async (event) => {
  event.preventDefault();
  const id = form.elements.id.value, secret = form.elements.secret.value, key = form.elements.key.value;
  try {
    // credentials: omit, so that a refusal opens no window of the browser's.
    const answer = await fetch("/auth/token?grant_type=client_credentials", {
      method: "POST",
      credentials: "omit",
      headers: { Authorization: "Basic " + btoa(id + ":" + secret) },
    });
    const token = await answer.json();
    if (!answer.ok) {
      tell(`${answer.status}: ${token.error_description}`, "bad");
      return;
    }
    ui.preauthorizeBasic("basic", id, secret);
    ui.preauthorizeApiKey("bearer", token.access_token);
    ui.preauthorizeApiKey("apiKey", key);
    tell("Token and key are sent with every call now, for 12 hours or until this page is left.", "good");
  } catch (error) {
    tell(String(error), "bad");
  }
});
