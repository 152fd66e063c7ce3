// Says that a stablecoin may be traded off its peg, when the operator presses its button.
for (const button of document.querySelectorAll("button[data-acknowledge]")) {
  button.addEventListener("click", async () => {
    const said = button.nextElementSibling;
    button.disabled = true;
    said.textContent = "…";
    try {
      const answer = await fetch("/prices/acknowledge", {
        method: "POST",
        headers: { "Content-Type": "application/json" },
        body: JSON.stringify({ currency: button.dataset.acknowledge }),
      });
      const { status, reason } = await answer.json();
      said.textContent = status + ": " + reason;
      button.disabled = answer.ok;
    } catch (failure) {
      said.textContent = "failed: " + failure.message + "; try again, or use causeway prices acknowledge";
      button.disabled = false;
    }
  });
}
