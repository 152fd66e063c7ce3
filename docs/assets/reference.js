// Shows an OpenAPI document of this server. Nothing is loaded from or sent to another host.
"use strict";

Scalar.createApiReference("#reference", {
  url: document.getElementById("reference").dataset.url,
  proxyUrl: "",
  withDefaultFonts: false,
  telemetry: false,
  defaultOpenAllTags: true,
  agent: { disabled: true },
  mcp: { disabled: true },
  hideClientButton: true,
  showDeveloperTools: "never",
  documentDownloadType: "direct",
  defaultHttpClient: { targetKey: "shell", clientKey: "curl" },
  hiddenClients: {
    shell: ["httpie", "wget"], js: ["axios", "jquery", "xhr", "ofetch"], python: ["python3", "aiohttp", "httpx_async"],
    c: true, clojure: true, csharp: true, dart: true, fsharp: true, http: true, java: true, kotlin: true, node: true,
    objc: true, ocaml: true, php: true, powershell: true, r: true, ruby: true, rust: true, swift: true,
  },
});
