// Test purchases with a catalog and the sandbox's cards.
#if canImport(LatchkeyTestKit)  // Linux only, like the server.
import LatchkeyPurchases
import LatchkeyTestKit

// snippet.purchases
let catalog = TestCatalog(
    storefronts: ["AT": "EUR"],
    products: [.init("coins.100", .consumable, title: "100 coins", prices: ["AT": 99])]
)
let server = try await TestServer(catalog: catalog)
let latchkey = try TestDevice(server).client()
let sent = try await latchkey.codeSignIn.sendCode(
    to: "+436641234567",  // the number determines the storefront
    orSignUpWith: [:],
    schema: "shopper"
)
try await sent.verify(server.code(for: "+436641234567"))

let purchases = Purchases(latchkey)
try await purchases.addSandboxCard(number: TestCard.confirmation)
let coins = try await purchases.products(["coins.100"]).products[0]
let deferred = try await purchases.buy(coins)  // as it would be while a parent has to approve the payment
let transaction = try await purchases.confirm(deferred.id, approve: true)
// snippet.end

print(transaction.state)
await server.stop()
#endif
