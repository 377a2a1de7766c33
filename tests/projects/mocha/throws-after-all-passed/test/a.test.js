const assert = require('node:assert');
it('starts a timer', () => { setTimeout(() => { throw new Error('too late'); }, 50); });
