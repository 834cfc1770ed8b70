"""The one door to OpenAI-compatible servers.

``ask_all`` asks many independent requests and hands each reply over as it arrives;
``work_all`` does the same for items that need several requests in a row (``do`` awaits
``session.ask``). Both are plain generators: a worker appends one line per finished item.
Waits, retries, the limit on concurrency, the budget and the early stop live here and nowhere else.
Nothing here runs a model's output as code.
"""
