-- Logs in with the code flow: an authorization request, whose response has a code, then the exchange of the code. Arguments: a file, and
-- `code-flow`, or `authorize` for authorization requests alone. The first lines of the file are the path of the authorization request, the path
-- of the exchange, its Authorization header, and its body, to which the code is appended. The others are Cookie headers, used in turn.
local authorizePath, tokenPath, authorization, body
local cookies, next = {}, 0
local codes, first, last = {}, 1, 0
local exchanges
local threads = {}
completed = 0
failures = 0

function setup(thread)
  threads[#threads + 1] = thread
end

function init(args)
  local lines = {}
  for line in io.lines(args[1]) do
    lines[#lines + 1] = line
  end
  authorizePath, tokenPath, authorization, body = lines[1], lines[2], lines[3], lines[4]
  for index = 5, #lines do
    cookies[#cookies + 1] = lines[index]
  end
  exchanges = args[2] == 'code-flow'
end

function request()
  if first <= last then
    local code = codes[first]
    codes[first] = nil
    first = first + 1
    local headers = { Authorization = authorization, ['Content-Type'] = 'application/x-www-form-urlencoded' }
    return wrk.format('POST', tokenPath, headers, body .. code)
  end
  next = next % #cookies + 1
  return wrk.format('GET', authorizePath, { Cookie = cookies[next] })
end

function response(status, headers)
  local code = (headers['location'] or headers['Location'] or ''):match('[?&]code=([^&]+)')
  if code and exchanges then
    last = last + 1
    codes[last] = code
  elseif code or (exchanges and status == 200) then
    completed = completed + 1
  else
    failures = failures + 1
  end
end

function done(summary)
  local e = summary.errors
  local failed = e.connect + e.read + e.write + e.timeout
  local requests = 0
  for _, thread in ipairs(threads) do
    failed = failed + thread:get('failures')
    requests = requests + thread:get('completed')
  end
  io.write(string.format('{"requests":%d,"seconds":%.6f,"failures":%d}\n', requests, summary.duration / 1e6, failed))
end
