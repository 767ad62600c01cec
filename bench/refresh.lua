-- Sends POST /auth/refresh with a queue of cookies. A request takes the first cookie, and its response contains the session's next.
-- The first cookies are in a file. Every response other than 200 with a cookie counts as a failure. Requests are not repeated.
local queue, first, last = {}, 1, 0
local threads = {}
failures = 0

local function push(cookie)
  last = last + 1
  queue[last] = cookie
end

function setup(thread)
  threads[#threads + 1] = thread
end

function init(args)
  for cookie in io.lines(args[1]) do
    push(cookie)
  end
end

function request()
  local cookie = queue[first]
  queue[first] = nil
  first = first + 1
  return wrk.format('POST', nil, { Cookie = cookie })
end

function response(status, headers)
  local cookie = (headers['set-cookie'] or ''):match('^[^;]+')
  if status == 200 and cookie then
    push(cookie)
  else
    failures = failures + 1
  end
end

function done(summary)
  local e = summary.errors
  local failed = e.connect + e.read + e.write + e.timeout
  for _, thread in ipairs(threads) do
    failed = failed + thread:get('failures')
  end
  io.write(string.format('{"requests":%d,"seconds":%.6f,"failures":%d}\n', summary.requests, summary.duration / 1e6, failed))
end
