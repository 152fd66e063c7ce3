// Acknowledges a stablecoin that is off its peg when its button is pressed.
for (const button of document.querySelectorAll("button[data-acknowledge]")) {
  button.addEventListener("click", async () => {
    const output = button.nextElementSibling;
    button.disabled = true;
    output.textContent = "…";
    try {
      const response = await fetch("/prices/acknowledge", {
        method: "POST",
        headers: { "Content-Type": "application/json" },
        body: JSON.stringify({ currency: button.dataset.acknowledge }),
      });
      const { status, reason } = await response.json();
      output.textContent = status + ": " + reason;
      button.disabled = response.ok;
    } catch (error) {
      output.textContent = "failed: " + error.message + "; try again, or use causeway prices acknowledge";
      button.disabled = false;
    }
  });
}
