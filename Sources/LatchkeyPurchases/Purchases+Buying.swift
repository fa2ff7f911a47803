public import Latchkey
package import LatchkeyModel
import LatchkeyWire

extension Purchases {
    /// Buys a product.
    ///
    /// If no user is logged in, a login is presented first.
    ///
    /// The order is stored on this device, together with an idempotency key, before it is sent. If the
    /// response is lost or the app crashes, the order is sent again with the same key, so the user is charged
    /// at most once. Cancelling the calling task has no effect once the order has been sent.
    ///
    /// - Parameters:
    ///   - product: The product, with the price that was shown to the user.
    ///   - quantity: The number of units to buy.
    ///   - paymentMethod: The payment method's identifier, or `nil` for the default payment method.
    ///   - reason: The reason for logging in, which a presenter may show.
    /// - Returns: The transaction, which can also be in the state `failed`, `deferred` or `purchasing`. The
    ///   transaction is also delivered in ``updates``.
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
    ///   - productID: The product's identifier.
    ///   - quantity: The number of units to buy.
    ///   - price: The unit price that was shown to the user, or `nil` to accept any price.
    ///   - paymentMethod: The payment method's identifier, or `nil` for the default payment method.
    /// - Returns: The new order, which has not been sent yet.
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
    ///   - order: A new order, or an order that the server has rejected.
    ///   - reason: The reason for logging in, which a presenter may show.
    ///   - isCorrected: A closure that is called after a rejection. The closure returns `true` if the cause
    ///     was fixed and the order should be placed again.
    /// - Returns: The resulting transaction.
    /// - Throws: ``PurchaseError``.
    package func buy(
        _ order: PurchaseOrder,
        because reason: LoginReason = .action("buy"),
        isCorrected: @Sendable (PurchaseError) async -> Bool = { _ in false }
    ) async throws(PurchaseError) -> StoreTransaction {
        feed.begin(order)
        let session = Locked<UserSession?>(nil)
        while true {
            do throws(PurchaseError) {
                return try await attempt(order, because: reason, in: session)
            } catch {
                // After a logout, we must neither ask for a correction nor place the order for the next user.
                guard error.code != .outcomeUnknown, isCurrent(session), await isCorrected(error) else {
                    feed.end(order, with: error)
                    throw error
                }
                guard isCurrent(session) else {
                    let ended = Self.sessionEnded
                    feed.end(order, with: ended)
                    throw ended
                }
            }
        }
    }

    /// Returns whether the session that an order was placed in is still the current session.
    private func isCurrent(_ session: Locked<UserSession?>) -> Bool {
        guard let session = session.withLock({ $0 }) else { return false }
        return client.sessionState.session?.id == session.id
    }

    /// The error for an order that cannot be placed again because its session has ended.
    private static var sessionEnded: PurchaseError {
        PurchaseError(.loginRequired, message: "The user logged out before the order was placed again.")
    }

    /// Places an order without retrying it after a rejection.
    ///
    /// - Parameters:
    ///   - order: The order to place.
    ///   - reason: The reason for a login, which a presenter may display.
    ///   - session: The session of the previous attempt, or `nil` for the first one. The order isn't placed for a
    ///     different user. The value is set to the session that is used.
    /// - Returns: The transaction.
    /// - Throws: ``PurchaseError``.
    private func attempt(
        _ order: PurchaseOrder,
        because reason: LoginReason,
        in session: Locked<UserSession?>
    ) async throws(PurchaseError) -> StoreTransaction {
        let outcome = Locked(OrderOutcome())
        do {
            let transaction = try await client.withSession(
                session.withLock({ $0 }) == nil ? .onDemand : .never,
                because: reason,
                retry: .always(idempotencyKey: order.key)
            ) { access in
                let isSameUser = session.withLock { session in
                    guard session == nil || session?.identity.id == access.session.identity.id else {
                        return false
                    }
                    session = access.session
                    return true
                }
                guard isSameUser else { throw Self.sessionEnded }
                let login = feed.login
                outcome.withLock { $0.login = login }
                return try await place(order, as: access, noting: outcome, login: login)
            }
            let login = outcome.withLock { $0.login } ?? feed.login
            do throws(LatchkeyError) {
                try await record.update { [feed] in
                    $0.complete(order.key, with: transaction, except: feed.finished)
                }
            } catch {
                // The order is still stored. The order is sent again when the app next starts, and the result
                // is the same.
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
                    message: "The server's response to the order was lost. The order will be sent again.",
                    retry: .later,
                    cause: failure.cause
                )
            }
            throw failure
        }
    }

    /// Stores an order and then sends it.
    ///
    /// The requests are not cancelled when the calling task is cancelled.
    private func place(
        _ order: PurchaseOrder,
        as access: SessionAccess,
        noting outcome: Locked<OrderOutcome>,
        login: Int
    ) async throws -> StoreTransaction {
        await turns.begin()
        defer { turns.end() }
        guard !Task.isCancelled else { throw LatchkeyError.cancelled }
        guard try await record.update({ $0.add(order) }) else {
            throw PurchaseError(
                .tooManyUnfinished,
                message: "Too many orders have an unknown outcome. Call refresh().",
                retry: .later
            )
        }
        feed.report(order, login: login)
        let (api, record) = (api, record)
        return try await Task {
            do throws(LatchkeyError) {
                return try await api.place(order, as: access)
            } catch  where error.leavesOutcomeUnknown {
                outcome.withLock { $0.isUnknown = true }
                // Most lost responses are caused by a connection that was closed in the meantime, so the
                // first retry happens without a delay.
            } catch {
                try await Self.withdraw(order, after: error, from: record, outcome: outcome)
            }
            do throws(LatchkeyError) {
                let transaction = try await api.place(order, as: access)
                outcome.withLock { $0.isUnknown = false }
                return transaction
            } catch {
                if error.settlesOrder { outcome.withLock { $0.isUnknown = false } }
                try await Self.withdraw(order, after: error, from: record, outcome: outcome)
            }
        }.value
    }

    /// Removes an order that the server has definitely not accepted, and throws the given error.
    private static func withdraw(
        _ order: PurchaseOrder,
        after error: LatchkeyError,
        from record: PurchaseRecord,
        outcome: Locked<OrderOutcome>
    ) async throws(LatchkeyError) -> Never {
        if !outcome.withLock({ $0.isUnknown }) {
            do throws(LatchkeyError) {
                try await record.update { $0.removeOrder(order.key) }
            } catch {
                // If this failed because the user has been logged out, the order was removed at that time.
                // Otherwise, the order is sent and rejected again the next time the app starts.
            }
        }
        throw error
    }
}

/// The information that is known about an order while it is being placed.
private struct OrderOutcome: Sendable {
    /// Whether the server may have accepted the order.
    var isUnknown = false
    /// The login under which the order was placed.
    var login: Int?
}

extension LatchkeyError {
    /// Whether this error proves that the server hasn't accepted the order, including any earlier attempts.
    var settlesOrder: Bool { isRefusal(ErrorID.orderRefusals) }

    /// Whether this error proves that a transaction can't be finished.
    var refusesFinish: Bool { isRefusal(ErrorID.finishRefusals) || cause is ImpossibleID }

    private func isRefusal(_ ids: Set<ErrorID>) -> Bool {
        guard let refusal = cause as? ServerRefusal, refusal.status < 500, let id = refusal.id else {
            return false
        }
        return ids.contains(ErrorID(rawValue: id))
    }
}
