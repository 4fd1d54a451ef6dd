// foray as the child of a foray.mjs that an older Node runs. That one passes each SIGINT on as a SIGUSR2: a Ctrl-C at the terminal
// has reached this process already, a SIGINT to the parent alone has not. (A SIGINT comes before a SIGUSR2 of the same moment.)
let heard = 0;
let passedOn = 0;

process.on('SIGINT', function count() {
  heard += 1;
  // nobody else listens: the signal ends the process, as it does without this listener
  if (process.listenerCount('SIGINT') === 1) {
    process.off('SIGINT', count);
    process.kill(process.pid, 'SIGINT');
  }
});
process.on('SIGUSR2', () => {
  passedOn += 1;
  if (passedOn > heard) process.kill(process.pid, 'SIGINT');
});

await import('./foray.mjs');
