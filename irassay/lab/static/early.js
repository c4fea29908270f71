// Before the page is drawn: the reader's theme, as in the report.
try {
  const theme = localStorage.getItem("irassay-theme");
  if (theme === "light" || theme === "dark") document.documentElement.dataset.theme = theme;
} catch { /* no storage */ }
