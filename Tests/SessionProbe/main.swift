// A program that tests start and kill to simulate an app's process. The program performs the operations in
// its arguments in order.
//
//   SessionProbe SERVER FOLDER OPERATION…
//   OPERATION: login:IDENTIFIER:PASSWORD | send | renew | barrier:FILE | late | die:PLACE | stop:PLACE | report:PLACE | state | logout
//              | held | side | side:TEXT, the state and a side record, without requests
//              | buy:PRODUCT | deliver:FILE, which appends the ids of unfinished purchases to the file and finishes them
//              | browser:FILE, a login in a browser, which prints the address and awaits the redirect in the file
//              | handoff:FILE, a login in a store app, which prints the URL and awaits the answer in the file
//              | approve:FILE, approves the request whose URL is in the file, and prints the URL that leads back
//              | redirect:FILE, the redirect opens the app | settle, wait until interrupted logins are handled
//              | child:COMMAND, a shell command in a child process, which prints its own lines
//              | fetch:system:ORIGIN | fetch:none:ORIGIN | fetch:PORT:ORIGIN, a bare request through a proxy or none
//   PLACE: beforeSend | afterCommit | beforeWrite | afterWrite | beforeOrder | afterOrder | beforeFinish | afterFinish
//          | beforeRequest | afterResponse,
//          optionally with :COUNT, how many times the process must reach it
//
// Each operation prints one line. At the given PLACE in the next refresh or purchase, `die` kills the process, `stop`
// stops it, and `report` prints the place.
//

import Glibc
import LatchkeyModel

let arguments = CommandLine.arguments.dropFirst()
guard arguments.count >= 2, let server = arguments.first, let folder = arguments.dropFirst().first else {
    say("usage: SessionProbe SERVER FOLDER OPERATION…")
    exit(2)
}
do {
    let operations = arguments.dropFirst(2)
    let hasPurchases = operations.contains { $0.hasPrefix("buy:") || $0.hasPrefix("deliver:") }
    let app = try App(server: server, folder: folder, hasPurchases: hasPurchases)
    for operation in operations { say(await app.perform(operation)) }
} catch {
    say("cannot begin: \(error)")
    exit(2)
}

/// Prints a line immediately.
func say(_ line: String) {
    let bytes = Array((line + "\n").utf8)
    _ = write(1, bytes, bytes.count)
}
