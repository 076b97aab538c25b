// The documentation page of the API: Swagger UI, and a form that gets an access
// token, which Swagger UI then sends with every call.
"use strict";

const form = document.getElementById("credentials");
const message = document.getElementById("message");

const ui = SwaggerUIBundle({
  url: "/openapi.yaml",
  dom_id: "#ui",
  deepLinking: true,
  tryItOutEnabled: true,
  displayRequestDuration: true,
  defaultModelsExpandDepth: 0,
  validatorUrl: null,
});

const showMessage = (text, state) => {
  message.textContent = text;
  message.dataset.state = state;
};

form.addEventListener("submit", async (event) => {
  event.preventDefault();
  const id = form.elements.id.value, secret = form.elements.secret.value, key = form.elements.key.value;
  try {
    // Without credentials: "omit", the browser opens its login dialog on a 401.
    const response = await fetch("/auth/token?grant_type=client_credentials", {
      method: "POST",
      credentials: "omit",
      headers: { Authorization: "Basic " + btoa(id + ":" + secret) },
    });
    const token = await response.json();
    if (!response.ok) {
      showMessage(`${response.status}: ${token.error_description}`, "bad");
      return;
    }
    ui.preauthorizeBasic("basic", id, secret);
    ui.preauthorizeApiKey("bearer", token.access_token);
    ui.preauthorizeApiKey("apiKey", key);
    showMessage("The token and the API key are now sent with every call, for 12 hours or until you leave this page.", "good");
  } catch (error) {
    showMessage(String(error), "bad");
  }
});
