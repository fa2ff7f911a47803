// Send and receive large bodies in chunks.
import Latchkey

let latchkey = try LatchkeyClient(
    server: "https://id.example.com",
    app: "com.example.shop",
    apiOrigins: ["https://api.example.com"]
)
let photo = [UInt8](repeating: 0, count: 10_000_000)

// snippet.stream
let upload = HTTP.Upload(length: photo.count, isRepeatable: true) { write in
    try await write(photo)  // in any number of parts; waits while the connection is slow
}
let request = HTTP.Request(.put, "/photo")
let response = try await latchkey.stream(request, upload: upload, to: "https://api.example.com")
for try await part in response.body {
    print(part.count)  // the transfer pauses while this loop is slow
}
// snippet.end
