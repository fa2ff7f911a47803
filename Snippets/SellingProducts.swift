// Show products, let the user buy one, and deliver it.
import Latchkey
import LatchkeyPurchases

let latchkey = try LatchkeyClient(server: "https://id.example.com", app: "com.example.arcade")

// snippet.catalog
let purchases = Purchases(latchkey)  // one for the life of the process
let list = try await purchases.products()  // before a login: the prices of a guessed region
for product in list.products { print(product.title, product.price) }
// snippet.end

// snippet.deliver
let delivery = Task {
    for await transaction in purchases.updates {  // all unfinished transactions, in order, at every start
        switch transaction.state {
        case .purchased:
            print("The user gets \(transaction.quantity) × \(transaction.productID).")
            try await purchases.finish(transaction.id)
        case .failed:
            print("The payment failed: \(transaction.failure?.rawValue ?? "unknown reason")")
            try await purchases.finish(transaction.id)
        default: print("The payment has no result yet.")
        }
    }
}
// snippet.end

// snippet.buy
do throws(PurchaseError) {
    _ = try await purchases.buy(list.products[0])  // presents a login if no user is logged in
} catch {
    switch error.code {
    case .paymentMethodRequired: try await purchases.addSandboxCard(number: "4242 4242 4242 4242")
    case .loginRequired: print("The user dismissed the login.")
    case .outcomeUnknown: print("The purchase is delivered through updates.")
    default: print(error.message)
    }
}
// snippet.end

try await delivery.value
