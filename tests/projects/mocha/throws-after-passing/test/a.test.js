const assert = require('node:assert');
it('starts a timer', () => { setTimeout(() => { throw new Error('too late'); }, 20); });
it('waits', () => new Promise((done) => { setTimeout(done, 200); }));
