// before the first paint, or a dark page would flash white; a file of its own, since the page allows no inline script
try {
  const { theme } = JSON.parse(localStorage.getItem('parley-preferences') ?? '{}')
  if (theme === 'light' || theme === 'dark') document.documentElement.dataset.theme = theme
} catch {
  // a broken setting is no setting
}
