// An OnsideKit app that runs in a process of its own.
//
//   OnsideProbe languages
//
// Prints the locale of a price and the question of a terminal presenter. Both use the languages of the
// environment.
//
//   OnsideProbe handoffs ROUNDS
//
// Repeatedly hands a login over to a store app, and prints the memory usage as below. The user approves every second
// request, and abandons the others.
//
//   OnsideProbe ROUNDS
//
// Repeatedly logs a user in and out, so that tests can measure the app's memory usage.
// Each round registers an observer that is released without being removed, logs the user in on demand, and
// logs the user out. The process prints the number of completed rounds and its resident memory in KiB ten
// times.

import Foundation
import Latchkey
import LatchkeyModel
import LatchkeyPurchases
import LatchkeyTesting
import OnsideKit

/// A presenter that logs the user in with a password.
@MainActor final class Player: OnsidePresenter {
    func present(_ login: LoginPresentation) async {
        _ = try? await Onside.client?.signIn(phone: "+439999999999", password: "271501")
        for await case .ended in login.screens { return }
    }

    func presentPaymentMethods(_ purchases: Purchases) async {}
}

/// An observer that does not remove itself.
@MainActor final class Observer: OnsidePaymentTransactionObserver {
    func onsidePaymentQueue(
        _ queue: OnsidePaymentQueue,
        updatedTransactions: [OnsidePaymentTransaction]
    ) {}
}

/// Returns the resident memory of this process in KiB.
func residentMemory() throws -> Int {
    let fields = try String(contentsOfFile: "/proc/self/statm", encoding: .utf8).split(separator: " ")
    let pages = fields.count > 1 ? Int(fields[1]) ?? 0 : 0
    return pages * sysconf(Int32(_SC_PAGESIZE)) / 1024
}

/// Prints the texts that depend on the languages of the environment.
@MainActor func printLanguages() async throws {
    server.respond(
        to: "GET /a/commerce/products",
        with: .json(
            200,
            #"""
            {"storefront":{"id":"NO","country_code":"NO","currency":"NOK","is_guess":true},"unknown_ids":[],
            "products":[{"id":"coins","kind":"consumable","title":"100 mynter","description":"","price":{"amount":1200,"currency":"NOK"}}]}
            """#
        )
    )
    configuration.client.languages = nil
    try Onside.initialize(configuration: configuration)
    let result = await withCheckedContinuation { continuation in
        OnsideProductsRequest().start { continuation.resume(returning: $0) }
    }
    guard let product = try result.get().products.first else { return }
    print(product.priceLocale.identifier)
    let terminal = ScriptedTerminal("")
    let transaction = StoreTransaction(
        id: "1",
        productID: product.productIdentifier,
        price: product.storeProduct.price,
        countryCode: "NO",
        state: .deferred,
        createdAt: SystemTime().now.date
    )
    _ = await OnsideTerminalPresenter(terminal: terminal).confirmPayment(transaction)
    print(terminal.transcript.first ?? "")
}

/// Hands logins over to a store app, of which the user abandons half.
@MainActor func handOver(_ rounds: Int) async throws {
    let time = VirtualTime()
    let provider = try HandOffServer(server, time: time)
    let gamer = Gamer(provider, time: time)
    configuration.presenter = gamer
    configuration.schemeHandlers = InstalledApps()
    configuration.client.transport = provider
    configuration.client.time = time
    Onside.callbackScheme = "com.example.arcade"
    try Onside.initialize(configuration: configuration)
    for round in 1...rounds {
        gamer.end = Gamer.End.allCases[round % Gamer.End.allCases.count]
        let result = await withCheckedContinuation { continuation in
            Onside.requestLogin { continuation.resume(returning: $0) }
        }
        guard (try? result.get()) != nil || gamer.end.isAbandoned else {
            print("The login failed in round \(round).")
            exit(1)
        }
        Onside.logout()
        server.forgetRequests()
        if round % (rounds / 10) == 0 { print(round, try residentMemory()) }
    }
}

let server = FakeIdentityServer()
server.respond(to: "GET /a/commerce/transactions", with: .json(200, #"{"transactions":[]}"#))
server.respond(
    to: "GET /a/commerce/storefront",
    with: .json(200, #"{"id":"AT","country_code":"AT","currency":"EUR","is_guess":false}"#)
)
let player = Player()
var configuration = OnsideConfiguration(
    server: FakeIdentityServer.origin,
    clientID: "com.example.arcade",
    presenter: player
)
configuration.client.store = MemoryStore()
configuration.client.deviceKeys = FakeDeviceKeys()
configuration.client.transport = server
configuration.client.languages = []
configuration.client.followsSessionEvents = false

if CommandLine.arguments.dropFirst().first == "languages" {
    try await printLanguages()
    exit(0)
}
guard let rounds = CommandLine.arguments.last.flatMap({ Int($0) }), rounds >= 10 else {
    print("usage: OnsideProbe languages | OnsideProbe [handoffs] ROUNDS, at least 10")
    exit(2)
}
if CommandLine.arguments.dropFirst().first == "handoffs" {
    try await handOver(rounds)
    exit(0)
}
try Onside.initialize(configuration: configuration)

for round in 1...rounds {
    Onside.defaultPaymentQueue().add(observer: Observer())
    let result = await withCheckedContinuation { continuation in
        Onside.requestLogin { continuation.resume(returning: $0) }
    }
    guard case .success = result else {
        print("The login failed in round \(round).")
        exit(1)
    }
    Onside.logout()
    server.forgetRequests()
    if round % (rounds / 10) == 0 { print(round, try residentMemory()) }
}
