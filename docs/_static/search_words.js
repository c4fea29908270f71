/* The search understands American spelling: pages are written in British. */
document.addEventListener("DOMContentLoaded", () => {
  if (typeof Search === "undefined") return;
  const parsed = Search._parseQuery;
  const british = (query) => query
    .replace(/judgment/gi, "judgement")
    .replace(/license/gi, "licence")
    .replace(/behavior/gi, "behaviour")
    .replace(/\b(normal|random|standard|optim|penal|recogn|summar|organ)iz/gi, "$1is");
  Search._parseQuery = (query) => parsed(british(query));
});
