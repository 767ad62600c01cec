-- Sends POST requests of a file in turn. A line has a content type, an Authorization header (or nothing) and a body, between tabs.
local requests, next = {}, 0

function init(args)
  for line in io.lines(args[1]) do
    local type, authorization, body = line:match('^([^\t]*)\t([^\t]*)\t(.*)$')
    local headers = { ['Content-Type'] = type }
    if authorization ~= '' then headers['Authorization'] = authorization end
    requests[#requests + 1] = wrk.format('POST', nil, headers, body)
  end
end

function request()
  next = next % #requests + 1
  return requests[next]
end

function done(summary)
  local e = summary.errors
  local failures = e.status + e.connect + e.read + e.write + e.timeout
  io.write(string.format('{"requests":%d,"seconds":%.6f,"failures":%d}\n', summary.requests, summary.duration / 1e6, failures))
end
