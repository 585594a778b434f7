// A client of the corpus for Go: see README.md.
package main

import (
	"encoding/json"
	"io"
	"math"
	"math/rand"
	"net/http"
	"os"
	"strconv"
	"strings"
	"sync"
	"time"
)

var (
	url       = os.Getenv("SEO_SANDBOX_URL")
	retry     = os.Getenv("CLIENT_RETRY")
	transport = &http.Transport{DisableKeepAlives: os.Getenv("CLIENT_LIBRARY") == "close"}
	client    = http.Client{Timeout: 10 * time.Second, Transport: transport}
)

type page struct {
	Links struct{ Next string }
}

// send sends a request; status 0 if there is no response that can be read.
func send(path string) (status int, retryAfter string, body []byte) {
	request, _ := http.NewRequest("GET", url+path, nil)
	for _, line := range strings.Split(os.Getenv("CLIENT_HEADERS"), "\n") {
		name, value, _ := strings.Cut(line, ": ")
		request.Header.Set(name, value)
	}
	response, err := client.Do(request)
	if err != nil {
		return 0, "", nil
	}
	defer response.Body.Close()
	body, err = io.ReadAll(response.Body)
	if err != nil || response.StatusCode == 200 && !json.Valid(body) {
		return 0, "", nil
	}
	return response.StatusCode, response.Header.Get("Retry-After"), body
}

// read reads a path as CLIENT_RETRY says; nil if there is nothing to read.
func read(path string) []byte {
	for attempt := 0; attempt < 8; attempt++ {
		status, retryAfter, body := send(path)
		if status == 200 {
			return body
		}
		if retry == "none" {
			return nil
		}
		if (status == 401 || status == 403) && retry != "stubborn" {
			os.Exit(1)
		}
		if status != 0 && status != 408 && status != 429 && status < 500 && retry != "stubborn" {
			return nil
		}
		seconds := 0.3 * math.Pow(3, float64(attempt)) * (1 + rand.Float64()/2)
		if retry == "flat" || retry == "stubborn" {
			seconds = 0.3
		} else if retryAfter != "" && retry != "impatient" {
			seconds, _ = strconv.ParseFloat(retryAfter, 64)
		}
		// The client leaves a longer wait to another day.
		if seconds > 5 {
			os.Exit(1)
		}
		time.Sleep(time.Duration(seconds * float64(time.Second)))
	}
	return nil
}

func step(word string) {
	if strings.HasPrefix(word, "sleep:") {
		seconds, _ := strconv.ParseFloat(word[len("sleep:"):], 64)
		time.Sleep(time.Duration(seconds * float64(time.Second)))
	} else if strings.HasPrefix(word, "next:") {
		for path := word[len("next:"):]; path != ""; {
			var shown page
			json.Unmarshal(read(path), &shown)
			path = shown.Links.Next
		}
	} else {
		read(word)
	}
}

func main() {
	words := make(chan string, len(os.Args))
	for _, word := range os.Args[1:] {
		words <- word
	}
	close(words)
	var workers sync.WaitGroup
	count, _ := strconv.Atoi(os.Getenv("CLIENT_WORKERS"))
	for ; count > 0; count-- {
		workers.Add(1)
		go func() {
			defer workers.Done()
			for word := range words {
				step(word)
			}
		}()
	}
	workers.Wait()
}
