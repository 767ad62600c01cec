// Keep-alive load with Go's net/http until the standard input ends. Prints the requests and the errors as JSON.
package main

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"sync"
	"time"
)

const callers = 8

func main() {
	url := os.Args[1]
	client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: callers}, Timeout: 20 * time.Second}
	var mutex sync.Mutex
	var group sync.WaitGroup
	requests, errors := 0, []string{}
	stop := make(chan struct{})
	go func() {
		io.Copy(io.Discard, os.Stdin)
		close(stop)
	}()
	call := func(number int) {
		defer group.Done()
		for turn := 0; ; turn++ {
			select {
			case <-stop:
				return
			case <-time.After(time.Duration(10+turn*number%7*40) * time.Millisecond):
			}
			failure := ""
			response, err := client.Post(url, "application/json", strings.NewReader("{}"))
			if err != nil {
				failure = err.Error()
			} else {
				if _, err := io.Copy(io.Discard, response.Body); err != nil {
					failure = err.Error()
				} else if response.StatusCode >= 500 {
					failure = response.Status
				}
				response.Body.Close()
			}
			mutex.Lock()
			requests++
			if failure != "" {
				errors = append(errors, failure)
			}
			mutex.Unlock()
		}
	}
	for number := 0; number < callers; number++ {
		group.Add(1)
		go call(number)
	}
	group.Wait()
	result, _ := json.Marshal(map[string]any{"requests": requests, "errors": errors})
	fmt.Println(string(result))
}
