"""Pictures in other sizes and formats (`/render/image`).

`sizes` is pure; `worker` is the process that reads and writes pictures, `renderer` speaks to it, `handlers` answer.
"""
