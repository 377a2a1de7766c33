const assert = require('node:assert');
it('one', () => {});
it.skip('two', () => {});
it('three', () => { throw new Error('boom'); });
