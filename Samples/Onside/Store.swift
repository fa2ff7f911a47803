import OnsideKit

/// Calls functions that log users in on demand, and records their results as text.
@MainActor
package final class Store: OnsidePaymentTransactionObserver {
    package private(set) var log: [String] = []

    package init() {
        Onside.defaultPaymentQueue().add(observer: self)
    }

    deinit {
        Onside.defaultPaymentQueue().remove(observer: self)
    }

    package func buy(_ identifier: String, report: @escaping @MainActor (String) -> Void) {
        Onside.defaultPaymentQueue().add(OnsidePayment(productIdentifier: identifier)) { result in
            switch result {
            case .success: report("accepted")
            case .failure(.loginDiscarded): report("discarded")
            case .failure(let error): report("\(error)")
            }
        }
    }

    package func restore(report: @escaping @MainActor (String) -> Void) {
        Onside.defaultPaymentQueue().restoreCompletedTransactions { result in
            if case .failure(.loginDiscarded) = result { report("discarded") } else { report("restored") }
        }
    }

    package func showPaymentMethods(report: @escaping @MainActor (String) -> Void) {
        Onside.presentPaymentMethodsManager { result in
            if case .failure(.loginDiscarded) = result { report("discarded") } else { report("shown") }
        }
    }

    package func showHistory(report: @escaping @MainActor (String) -> Void) {
        Onside.makeSignedInAppsHistoryRequest().start { result in
            switch result {
            case .success(let document): report(document)
            case .failure(.notLoggedIn): report("not logged in")
            case .failure(let error): report("\(error)")
            }
        }
    }

    package func onsidePaymentQueue(
        _ queue: OnsidePaymentQueue,
        updatedTransactions: [OnsidePaymentTransaction]
    ) {
        for transaction in updatedTransactions {
            log.append("\(transaction.payment.productIdentifier) \(transaction.transactionState)")
            switch transaction.transactionState {
            case .purchased, .restored, .failed: queue.finishTransaction(transaction)
            case .purchasing, .deferred: break
            }
        }
    }
}
