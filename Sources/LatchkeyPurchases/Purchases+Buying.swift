public import Latchkey
package import LatchkeyModel

extension Purchases {
    /// Buys a product, and presents a login first if no user is logged in.
    ///
    /// The order is stored on this device before it is sent, with an idempotency key. It is repeated with the same key
    /// after a lost answer or a crash, and is therefore charged at most once. Once the order was sent, cancelling the
    /// caller's task has no effect on it.
    ///
    /// - Parameters:
    ///   - product: The product, with the price that the user has seen.
    ///   - quantity: The number of pieces.
    ///   - paymentMethod: The identifier of a payment method; `nil` for the default one.
    ///   - reason: The reason for a login, which a presenter may show.
    /// - Returns: The transaction, whose state may also be `failed`, `deferred` or `purchasing`. It is delivered in
    ///   ``updates``, too.
    /// - Throws: ``PurchaseError``, such as ``PurchaseError/Code/paymentMethodRequired``,
    ///   ``PurchaseError/Code/priceChanged`` and ``PurchaseError/Code/outcomeUnknown``.
    @concurrent public func buy(
        _ product: StoreProduct,
        quantity: Int = 1,
        paymentMethod: PaymentMethod.ID? = nil,
        because reason: LoginReason = .action("buy")
    ) async throws(PurchaseError) -> StoreTransaction {
        try await buy(
            order(
                of: product.id,
                quantity: quantity,
                price: product.price,
                paymentMethod: paymentMethod
            ),
            because: reason
        )
    }

    /// Creates an order with a new idempotency key.
    ///
    /// - Parameters:
    ///   - productID: The identifier of the product.
    ///   - quantity: The number of pieces.
    ///   - price: The price of one piece that the user has seen; `nil` accepts any price.
    ///   - paymentMethod: The identifier of a payment method; `nil` for the default one.
    /// - Returns: The order.
    package func order(
        of productID: String,
        quantity: Int = 1,
        price: Money? = nil,
        paymentMethod: PaymentMethod.ID? = nil
    ) -> PurchaseOrder {
        PurchaseOrder(
            key: Identifier(random: client.random).description,
            productID: productID,
            quantity: quantity,
            price: price,
            paymentMethodID: paymentMethod,
            createdAt: client.time.now
        )
    }

    /// Places an order.
    ///
    /// - Parameters:
    ///   - order: The order, which must not have been placed before, except if it was rejected.
    ///   - reason: The reason for a login, which a presenter may show.
    ///   - isCorrected: Returns whether the cause of a rejection was removed, so that the order is placed again.
    /// - Returns: The transaction.
    /// - Throws: ``PurchaseError``.
    package func buy(
        _ order: PurchaseOrder,
        because reason: LoginReason = .action("buy"),
        isCorrected: @Sendable (PurchaseError) async -> Bool = { _ in false }
    ) async throws(PurchaseError) -> StoreTransaction {
        feed.begin(order)
        while true {
            do throws(PurchaseError) {
                return try await attempt(order, because: reason)
            } catch {
                guard error.code != .outcomeUnknown, await isCorrected(error) else {
                    feed.end(order, with: error)
                    throw error
                }
            }
        }
    }

    /// Places an order once.
    private func attempt(
        _ order: PurchaseOrder,
        because reason: LoginReason
    ) async throws(PurchaseError) -> StoreTransaction {
        let outcome = Locked(OrderOutcome())
        do {
            let transaction = try await client.withSession(
                because: reason,
                replay: .always(idempotencyKey: order.key)
            ) { access in
                let login = feed.login
                outcome.withLock { $0.login = login }
                return try await place(order, access, outcome, login: login)
            }
            let login = outcome.withLock { $0.login } ?? feed.login
            do throws(LatchkeyError) {
                try await record.update { $0.complete(order.key, with: transaction) }
            } catch {
                // The order stays stored, and is repeated at the next start with the same result.
            }
            feed.complete(order, with: transaction, login: login)
            if transaction.state.isPending { retryLater() }
            return transaction
        } catch {
            let failure = PurchaseError(error)
            guard !outcome.withLock({ $0.isUnknown }) else {
                retryLater()
                throw PurchaseError(
                    .outcomeUnknown,
                    message: "The server's answer to the order was lost. The order will be repeated.",
                    retry: .later,
                    cause: failure.cause
                )
            }
            throw failure
        }
    }

    /// Stores an order, and sends it.
    ///
    /// The tasks of its requests are not cancelled with the caller's.
    private func place(
        _ order: PurchaseOrder,
        _ access: SessionAccess,
        _ outcome: Locked<OrderOutcome>,
        login: Int
    ) async throws -> StoreTransaction {
        await turns.begin()
        defer { turns.end() }
        guard !Task.isCancelled else { throw LatchkeyError.cancelled }
        guard try await record.update({ $0.add(order) }) else {
            throw PurchaseError(
                .tooManyUnfinished,
                message: "There are too many orders whose outcome is not known. Call refresh().",
                retry: .later
            )
        }
        feed.report(order, login: login)
        let (api, record) = (api, record)
        return try await Task {
            do throws(LatchkeyError) {
                return try await api.place(order, access)
            } catch  where error.leavesOutcomeUnknown {
                outcome.withLock { $0.isUnknown = true }
                // Most lost answers are due to a connection that was closed meanwhile, so the first repetition is
                // not delayed.
            } catch {
                try await Self.withdraw(order, after: error, record, outcome)
            }
            do throws(LatchkeyError) {
                let transaction = try await api.place(order, access)
                outcome.withLock { $0.isUnknown = false }
                return transaction
            } catch {
                if error.settlesOrder { outcome.withLock { $0.isUnknown = false } }
                try await Self.withdraw(order, after: error, record, outcome)
            }
        }.value
    }

    /// Removes an order that the server has certainly not accepted, and throws the error.
    private static func withdraw(
        _ order: PurchaseOrder,
        after error: LatchkeyError,
        _ record: PurchaseRecord,
        _ outcome: Locked<OrderOutcome>
    ) async throws(LatchkeyError) -> Never {
        if !outcome.withLock({ $0.isUnknown }) {
            do throws(LatchkeyError) {
                try await record.update { $0.removeOrder(order.key) }
            } catch {
                // The login has ended, and the record with it, or the order is rejected again at the next start.
            }
        }
        throw error
    }
}

/// The knowledge about an order that is being placed.
private struct OrderOutcome: Sendable {
    /// Whether the server may have accepted the order.
    var isUnknown = false
    /// The login that the order was placed with.
    var login: Int?
}

extension LatchkeyError {
    /// Whether the server has rejected an order with this error, so that no earlier request was accepted either.
    ///
    /// An accepted order is answered with its transaction, whatever has happened meanwhile.
    var settlesOrder: Bool {
        guard let status = (cause as? ServerRefusal)?.status else { return false }
        return (400..<500).contains(status) && ![401, 403, 408, 425, 429].contains(status)
    }
}
