"""The page of a policy that people sign, made of the policy alone: same policy, same bytes.

    page = page_of(Sources(policy))
    html_page(page), markdown_page(page)

Comparisons and explanations speak with the same words, so nothing is loaded before it is asked for by its module.

- :mod:`~agent_saga.policies.rendering.page`: the page, in blocks (``blocks``); ``tables``, ``thresholds``, ``waivers``,
  ``changes``: its sections
- :mod:`~agent_saga.policies.rendering.html`, ``markdown``: blocks as text
- :mod:`~agent_saga.policies.rendering.boundaries`, ``samples``: examples at the boundaries of rules
- :mod:`~agent_saga.policies.rendering.sentences`: a sentence for each rule and limit
- :mod:`~agent_saga.policies.rendering.conditions`, ``comparisons``, ``constants``, ``naming``, ``prose``:
  conditions in words
"""
