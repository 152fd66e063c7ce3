// Shows an OpenAPI document of this server. Nothing is loaded from or sent to another host.
"use strict";

const reference = document.getElementById("reference");

Scalar.createApiReference("#reference", {
  url: reference.dataset.url,
  proxyUrl: "",
  theme: "none", // guides.css has the colours
  withDefaultFonts: false,
  telemetry: false,
  defaultOpenAllTags: true,
  agent: { disabled: true },
  mcp: { disabled: true },
  hideClientButton: true,
  hideDarkModeToggle: true, // the pages follow the browser
  hideSearch: "search" in reference.dataset, // the bar has one
  showDeveloperTools: "never",
  documentDownloadType: "direct",
  authentication: { preferredSecurityScheme: "bearer" },
  defaultHttpClient: { targetKey: "shell", clientKey: "curl" },
  hiddenClients: {
    shell: ["httpie", "wget"], js: ["axios", "jquery", "xhr", "ofetch"], python: ["python3", "aiohttp", "httpx_async"],
    c: true, clojure: true, csharp: true, dart: true, fsharp: true, http: true, java: true, kotlin: true, node: true,
    objc: true, ocaml: true, php: true, powershell: true, r: true, ruby: true, rust: true, swift: true,
  },
});

// What assistive technology misses in the library's page: names of buttons, and lists that scroll by the keyboard. The
// page has one banner, the bar.
function complete() {
  for (const button of reference.querySelectorAll("[class*='copy-button']:not([aria-label])")) button.setAttribute("aria-label", "Copy");
  for (const list of reference.querySelectorAll(".endpoints:not([tabindex])")) list.tabIndex = 0;
  for (const header of reference.querySelectorAll("header:not([role])")) header.setAttribute("role", "presentation");
}
new MutationObserver(complete).observe(reference, { childList: true, subtree: true });
