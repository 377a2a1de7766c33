const assert = require('node:assert');
it('one', () => {});
it('is killed', async () => { await new Promise((go) => setTimeout(go, 100)); process.kill(process.pid, 'SIGKILL'); await new Promise((go) => setTimeout(go, 5000)); });
