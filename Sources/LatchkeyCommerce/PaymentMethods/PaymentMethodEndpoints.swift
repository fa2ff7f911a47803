import LatchkeyAccounts
import LatchkeyModel
import LatchkeyServerKit
import LatchkeyWire

/// The endpoints for listing, adding, choosing and removing payment methods.
struct PaymentMethodEndpoints: Sendable {
    private static let bodyLimit = 4096
    private static let path = Route.Commerce.paymentMethods + "/{}"

    let provider: any PaymentProvider
    let authenticator: SessionAuthenticator
    let limiter: Limiter
    let database: any Database
    let audit: AuditLog
    let notices: PurchaseNotices
    let random: any RandomSource

    /// The endpoints for payment methods.
    var endpoints: [Endpoint] {
        [
            Endpoint(
                .get,
                Route.Commerce.paymentMethods,
                accepts: .sessionOrScope(.purchases),
                operation: .listPaymentMethods,
                returning: PaymentMethodsBody.self,
                answer: list
            ),
            Endpoint(
                .post,
                Route.Commerce.paymentMethods,
                accepts: .sessionOrScope(.purchases, bound: true),
                operation: .addPaymentMethod,
                body: NewPaymentMethodBody.self,
                limit: Self.bodyLimit,
                returning: PaymentMethodBody.self,
                answer: add
            ),
            Endpoint(
                .patch,
                Self.path,
                accepts: .sessionOrScope(.purchases, bound: true),
                operation: .changePaymentMethod,
                body: PaymentMethodChangeBody.self,
                limit: Self.bodyLimit,
                returning: PaymentMethodBody.self,
                answer: change
            ),
            Endpoint(
                .delete,
                Self.path,
                accepts: .sessionOrScope(.purchases, bound: true),
                operation: .removePaymentMethod,
                answer: remove
            ),
        ]
    }

    private func list(_ context: RequestContext) async throws -> BodyResponse<PaymentMethodsBody> {
        let identity = try await authenticator.requiredSession(of: context).identity.id
        let methods = try await PaymentMethodRepository.all(of: identity, in: database)
        return .ok(PaymentMethodsBody(paymentMethods: methods.map(\.body)))
    }

    /// Handles `POST /commerce/payment-methods`.
    ///
    /// The attempt is counted before the number is passed to the payment provider. Only the provider's token
    /// and the last four digits are stored.
    private func add(
        _ context: RequestContext,
        body: RequestBody<NewPaymentMethodBody>
    ) async throws -> BodyResponse<PaymentMethodBody> {
        let found = try await authenticator.requiredSession(of: context)
        let request = try body.decoded()
        let identity = found.session.identityID
        let events =
            [.paymentMethod(identity)]
            + Network.all(of: context.peer).map { LimitedEvent.paymentMethodFromNetwork($0) }
        let refusal: ServerError? = try await found.change(in: database, at: context.now) {
            [limiter] transaction in
            try limiter.require(events, at: context.now, in: transaction)
            // The attempt stays counted if the account isn't confirmed, so this is an outcome and not an error.
            do {
                _ = try Identity.confirmed(identity, in: transaction)
                return nil
            } catch let refusal as ServerError {
                return refusal
            }
        }
        if let refusal { throw refusal }
        guard let instrument = try await provider.register(request.number) else {
            throw ServerError(
                400,
                id: .cardNotAccepted,
                reason: "Only sandbox card numbers are accepted, so that real card numbers are never stored."
            )
        }
        let id = Identifier(random: random)
        let event = audit.event(
            .paymentMethodAdded,
            of: identity,
            in: context,
            about: id.description,
            at: context.now
        )
        let method = try await found.change(in: database, at: context.now) { [notices] transaction in
            // The account may have been changed while the provider checked the card.
            let owner = try Identity.confirmed(identity, in: transaction)
            let others = try PaymentMethodRepository.all(of: identity, in: transaction)
            guard others.count < PaymentMethod.most else {
                throw ServerError(
                    409,
                    id: .tooManyPaymentMethods,
                    reason:
                        "An account can have at most \(PaymentMethod.most) payment methods. Remove one first."
                )
            }
            let isDefault = request.isDefault == true || !others.contains(where: \.isDefault)
            if isDefault { try PaymentMethodRepository.setDefault(nil, of: identity, in: transaction) }
            let method = PaymentMethod(
                id: id,
                kind: request.kind,
                token: instrument.token,
                brand: instrument.brand,
                lastFour: instrument.lastFour,
                isDefault: isDefault,
                createdAt: context.now
            )
            try PaymentMethodRepository.insert(method, of: identity, in: transaction)
            try notices.send(method, addedTo: owner, for: context, in: transaction)
            try AuditLog.append(event, in: transaction)
            return method
        }
        return .created(method.body)
    }

    /// Handles `PATCH /commerce/payment-methods/{id}`, which makes a payment method the default.
    private func change(
        _ context: RequestContext,
        body: RequestBody<PaymentMethodChangeBody>
    ) async throws -> BodyResponse<PaymentMethodBody> {
        let found = try await authenticator.requiredSession(of: context)
        let id = try context.id()
        guard try body.decoded().isDefault else {
            throw ServerError.malformed(
                "The member is_default must be true. Choose another payment method to replace the default."
            )
        }
        let identity = found.session.identityID
        let method = try await found.change(in: database, at: context.now) { transaction in
            let methods = try PaymentMethodRepository.all(of: identity, in: transaction)
            guard methods.contains(where: { $0.id == id }) else { throw ServerError.notFound }
            try PaymentMethodRepository.setDefault(id, of: identity, in: transaction)
            return try PaymentMethodRepository.all(of: identity, in: transaction).first { $0.id == id }
        }
        guard let method else { throw ServerError.notFound }
        return .ok(method.body)
    }

    /// Handles `DELETE /commerce/payment-methods/{id}`.
    ///
    /// Deferred purchases that use the payment method are cancelled. The response doesn't reveal whether the
    /// account had the payment method.
    private func remove(_ context: RequestContext) async throws -> HTTP.Response {
        let found = try await authenticator.requiredSession(of: context)
        let id = try context.id()
        let identity = found.session.identityID
        let event = audit.event(
            .paymentMethodRemoved,
            of: identity,
            in: context,
            about: id.description,
            at: context.now
        )
        try await found.change(in: database, at: context.now) { transaction in
            guard try PaymentMethodRepository.delete(id, of: identity, in: transaction) else { return }
            let rest = try PaymentMethodRepository.all(of: identity, in: transaction)
            if let newest = rest.last, !rest.contains(where: \.isDefault) {
                try PaymentMethodRepository.setDefault(newest.id, of: identity, in: transaction)
            }
            try PurchaseRepository.cancelDeferred(
                paidWith: id,
                of: identity,
                at: context.now,
                in: transaction
            )
            try AuditLog.append(event, in: transaction)
        }
        return HTTP.Response(204)
    }
}
