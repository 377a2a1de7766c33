export default { test: { coverage: { enabled: true, provider: 'v8', include: ['src/**'], thresholds: { lines: 99, functions: 99 } } } };
