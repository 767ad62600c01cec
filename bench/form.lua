-- Sends POST requests with the form bodies of a file in turn.
local requests, next = {}, 0

function init(args)
  local headers = { ['Content-Type'] = 'application/x-www-form-urlencoded' }
  for body in io.lines(args[1]) do
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
