"""The nouns of Proctor: requests, plans, events, cases, results, errors and ids. Imports nothing of ours."""
