// A test program that performs the operations in its arguments on a store, one after the other. Tests can
// start, stop and kill this program.
//
//   StoreProbe FOLDER LEVEL OPERATION…
//   LEVEL: file | keyring | automatic
//   OPERATION: read | write:BASE:TEXT | login:TEXT | remove | increment:COUNT | report | pid |
//   refresh:MILLISECONDS[:keep]
//
// Each operation prints one line.
//

import Dispatch
import Glibc
import LatchkeyCore
import LatchkeyFileStore
import LatchkeySecretService

let arguments = CommandLine.arguments.dropFirst()
guard arguments.count >= 2, let folder = arguments.first else {
    say("usage: StoreProbe FOLDER LEVEL OPERATION…")
    exit(2)
}
let location = StoreLocation(dataFolder: folder + "/data", keyFolder: folder + "/key")
let file = EncryptedFileStore(server: "https://id.example", app: "probe", location: location)
let keyring = SecretServiceStore(server: "https://id.example", app: "probe", folder: location.dataFolder)
let levels: [String: any SessionStore] = [
    "file": file, "keyring": keyring, "automatic": FallbackSessionStore(keyring: keyring, file: file),
]
guard let store = levels[arguments.dropFirst().first ?? ""] else {
    say("no such level")
    exit(2)
}
for operation in arguments.dropFirst(2) {
    say(Operation(operation).perform(on: store))
}
