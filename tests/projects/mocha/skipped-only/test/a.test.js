const assert = require('node:assert');
it.skip('one', () => {});
it.skip('two', () => {});
