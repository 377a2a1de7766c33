const assert = require('node:assert');
it('one', () => {});
