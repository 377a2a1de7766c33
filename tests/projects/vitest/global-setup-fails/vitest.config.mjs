export default { test: { globalSetup: './setup.mjs' } };
