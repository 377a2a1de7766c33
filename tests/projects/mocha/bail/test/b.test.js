const assert = require('node:assert');
it('three', () => {});
