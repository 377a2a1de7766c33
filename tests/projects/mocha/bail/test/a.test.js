const assert = require('node:assert');
it('one', () => { throw new Error('boom'); });
it('two', () => {});
