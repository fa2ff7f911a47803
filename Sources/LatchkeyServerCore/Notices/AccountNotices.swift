import LatchkeyModel
import LatchkeyWire

/// Tells the owner of an account what happened to it, by messages to proven addresses.
///
/// Callers pass the identity as it was before the change, so that a thief who replaces an address is not the only one
/// who is notified. Text messages are capped for each account and day; beyond the cap, mail and the audit log have to do.
struct AccountNotices: Sendable {
    private let context: ServerContext
    private let courier: Courier
    private let limiter: Limiter

    init(_ context: ServerContext, courier: Courier) {
        self.context = context
        self.courier = courier
        limiter = Limiter(context)
    }

    /// Enqueues a notice to each proven address of an identity.
    ///
    /// - Parameters:
    ///   - kind: What happened.
    ///   - identity: The identity before the change.
    ///   - excluded: An address that needs no notice, because the change was made with it.
    ///   - exchange: The request that made the change.
    ///   - transaction: The transaction of the change.
    /// - Returns: The number of messages; if there are any, ``wake()`` follows the transaction.
    /// - Throws: ``DatabaseError``.
    func send(
        _ kind: MessageKind,
        to identity: Identity,
        except excluded: Traits.Address? = nil,
        for exchange: Exchange,
        in transaction: borrowing Transaction
    ) throws -> Int {
        let recipients = identity.provenAddresses.filter { $0 != excluded }
        return try send(
            kind,
            to: recipients,
            of: identity.id,
            caps: [.noticeText(identity.id)],
            for: exchange,
            in: transaction
        )
    }

    /// Enqueues the notice of a new device: by mail, and by one text message a day where no mail address is proven.
    ///
    /// - Returns: The number of messages; if there are any, ``wake()`` follows the transaction.
    func sendNewDevice(
        to identity: Identity,
        for exchange: Exchange,
        in transaction: borrowing Transaction
    ) throws -> Int {
        let proven = identity.provenAddresses
        let mail = proven.filter { $0.via == .email }
        return try send(
            .deviceAdded,
            to: mail.isEmpty ? proven : mail,
            of: identity.id,
            caps: [.deviceNoticeText(identity.id), .noticeText(identity.id)],
            for: exchange,
            in: transaction
        )
    }

    /// Enqueues the notice that a login with an unproven address was refused, at most once a day.
    ///
    /// - Returns: The number of messages; if there are any, ``wake()`` follows the transaction.
    func sendRefusedEntry(
        to identity: Identity,
        for exchange: Exchange,
        in transaction: borrowing Transaction
    ) throws -> Int {
        let event = LimitedEvent.refusedEntryNotice(identity.id)
        guard case .reserved = try limiter.reserve([event], at: exchange.now, in: transaction) else {
            return 0
        }
        return try send(.entryRefused, to: identity, for: exchange, in: transaction)
    }

    /// Wakes the courier after the transaction.
    func wake() {
        courier.wake()
    }

    private func send(
        _ kind: MessageKind,
        to recipients: Set<Traits.Address>,
        of identity: Identifier,
        caps: [LimitedEvent],
        for exchange: Exchange,
        in transaction: borrowing Transaction
    ) throws -> Int {
        guard context.settings.noticesEnabled else { return 0 }
        var sent = 0
        for address in recipients.sorted(by: { $0.value < $1.value }) {
            if address.via == .sms, try !takesText(caps, to: address, at: exchange.now, in: transaction) {
                let event = context.event(
                    .noticeWithheld,
                    of: identity,
                    by: .server,
                    in: exchange,
                    about: kind.rawValue,
                    at: exchange.now
                )
                try AuditLog.append(event, in: transaction)
                continue
            }
            let message = context.messages.message(
                kind,
                to: address,
                language: context.settings.language(for: exchange.request.headers["Accept-Language"]),
                from: exchange.peer,
                at: exchange.now,
                random: context.random
            )
            try courier.enqueue(message, about: identity, in: transaction)
            sent += 1
        }
        if sent > 0 {
            let event = context.event(
                .noticeSent,
                of: identity,
                by: .server,
                in: exchange,
                about: kind.rawValue,
                at: exchange.now
            )
            try AuditLog.append(event, in: transaction)
        }
        return sent
    }

    private func takesText(
        _ caps: [LimitedEvent],
        to address: Traits.Address,
        at now: Timestamp,
        in transaction: borrowing Transaction
    ) throws -> Bool {
        let events = caps + [limiter.textMessage(to: address, isProven: true)].compactMap { $0 }
        guard case .reserved = try limiter.reserve(events, at: now, in: transaction) else { return false }
        return true
    }
}
