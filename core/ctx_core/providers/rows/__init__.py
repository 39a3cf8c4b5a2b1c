"""The table of providers: what each asks of a request, and how that is known.

`source` names evidence in short: a provider's documentation, its validator or a client's code with its version, or
public reports of the error by repository and number. Many were asked or seen in 2026; `since` and `until` say where a
date is known.
"""
