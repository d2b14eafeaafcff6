// Takes as much of one core as it is given, until whoever forked it is gone.
process.on('disconnect', () => process.exit())
const sliceMs = 50

function burn() {
  const until = performance.now() + sliceMs
  while (performance.now() < until);
  setImmediate(burn)
}
burn()
