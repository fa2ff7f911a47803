import LatchkeyCourier
package import LatchkeyModel

extension LimitedEvent {
    /// A code is sent to a phone number or mailbox.
    package static func code(to address: ContactAddress) -> LimitedEvent {
        recipient("code", of: address, metric: .codesPerRecipient) { $0.codesPerPhone }
    }

    /// A code is sent to a phone number or mailbox, which keeps other networks waiting silently for a moment.
    package static func codeSpacing(to address: ContactAddress) -> LimitedEvent {
        recipient("recent code", of: address, metric: .codesPerRecipient) { $0.codeSpacing }
    }

    /// A code for a phone number or mailbox is requested from one network.
    ///
    /// The network's own wait between two codes for one address is announced.
    package static func code(to address: ContactAddress, on network: Network) -> LimitedEvent {
        LimitedEvent(
            "code on network for \(address.via.subject)",
            of: pair(network.prefix, and: Array(address.value.utf8)),
            metric: .codesPerRecipient,
            identifier: address.value,
            from: .network(network)
        ) { $0.codeSpacing }
    }

    /// A code is sent even though the limit of ``code(to:)`` has been reached, because it was requested from
    /// a known network.
    package static func codeInReserve(to address: ContactAddress) -> LimitedEvent {
        recipient("reserved code", of: address, metric: .codesPerRecipient) { $0.codesOnKnownNetworks }
    }

    /// A code is requested from a network.
    package static func codeFromNetwork(_ network: Network) -> LimitedEvent {
        LimitedEvent("code for address", of: network, metric: .codesPerAddress) { $0.codesPerAddress }
    }

    /// A wrong code is entered for a phone number or mailbox.
    package static func guess(at address: ContactAddress) -> LimitedEvent {
        recipient("guess", of: address, metric: .guessesPerRecipient) { $0.wrongCodesPerPhone }
    }

    /// A wrong code is entered from one of the account's known networks after the limit of ``guess(at:)`` has
    /// been reached.
    package static func guessInReserve(at address: ContactAddress) -> LimitedEvent {
        recipient("reserved guess", of: address, metric: .guessesPerRecipient) {
            $0.wrongCodesOnKnownNetworks
        }
    }

    private static func recipient(
        _ name: String,
        of address: ContactAddress,
        metric: MeteredLimit,
        by rule: @escaping @Sendable (LimitRules) -> LimitRule
    ) -> LimitedEvent {
        LimitedEvent(
            "\(name) for \(address.via.subject)",
            of: Array(address.value.utf8),
            metric: metric,
            identifier: address.value,
            by: rule
        )
    }

    /// Returns the bytes of two parameters, the first of which has less than 256 bytes.
    static func pair(_ first: [UInt8], and second: [UInt8]) -> [UInt8] {
        [UInt8(truncatingIfNeeded: first.count)] + first + second
    }
}

// MARK: Text messages

extension LimitedEvent {
    /// A text message is sent.
    ///
    /// Each message counts towards one share of the limit for all text messages.
    package static func textMessage(share: Int, isProven: Bool) -> LimitedEvent {
        let name = isProven ? "text message" : "text message to new phone"
        var event = text(name, of: Array(String(share).utf8)) { $0.textMessageShares.rule }
        event.isBudget = true
        return event
    }

    /// A text message to an unproven number is requested from a block from which no number was proven
    /// recently.
    ///
    /// Each message counts towards one share.
    package static func textMessageFromNewBlock(share: Int) -> LimitedEvent {
        text("text message from new block", of: Array(String(share).utf8)) { $0.newBlockShares.rule }
    }

    /// A text message to an unproven number is requested from a block.
    package static func textMessageFromBlock(_ block: NetworkBlock) -> LimitedEvent {
        text("text message from block", of: block.prefix, from: .block(block)) { $0.textsPerBlock }
    }

    /// A text message is sent to an unproven number with a calling code.
    ///
    /// The limit depends on how many numbers with the calling code were proven within the last day.
    package static func textMessageToCallingCode(_ code: String, proven: Int) -> LimitedEvent {
        text("text message to calling code", of: Array(code.utf8)) { $0.callingCodes.rule(proven: proven) }
    }

    /// A text message to an unproven number with a calling code is requested from a block.
    package static func textMessageFromBlockToCallingCode(
        _ block: NetworkBlock,
        code: String,
        proven: Int
    ) -> LimitedEvent {
        text(
            "text message from block to calling code",
            of: pair(block.prefix, and: Array(code.utf8)),
            from: .block(block)
        ) { $0.callingCodes.blockRule(proven: proven) }
    }

    /// A phone number is proven.
    ///
    /// This isn't limited, but the number counts only once a day for ``callingCodeProven(_:)``.
    package static func phoneProven(_ phone: ContactAddress) -> LimitedEvent {
        text("proven phone", of: Array(phone.value.utf8)) { _ in LimitRules.onceADay }
    }

    /// A phone number with a calling code is proven.
    ///
    /// This isn't limited, but it raises the limit of ``textMessageToCallingCode(_:proven:)``.
    package static func callingCodeProven(_ code: String) -> LimitedEvent {
        text("proven calling code", of: Array(code.utf8)) { _ in LimitRules.provenNumbers }
    }

    /// A phone number is proven from a block.
    ///
    /// This isn't limited, but the block no longer counts as new.
    package static func blockProven(_ block: NetworkBlock) -> LimitedEvent {
        text("proven block", of: block.prefix) { _ in LimitRules.provenBlocks }
    }

    private static func text(
        _ name: String,
        of parameters: [UInt8],
        from origin: Origin? = nil,
        by rule: @escaping @Sendable (LimitRules) -> LimitRule
    ) -> LimitedEvent {
        LimitedEvent(name, of: parameters, metric: .textMessages, from: origin, by: rule)
    }
}

extension Message.Channel {
    /// The channel's name in ``LimitedEvent/subject``.
    ///
    /// Changing the name would reset the counts.
    fileprivate var subject: String {
        switch self {
        case .sms: "phone"
        case .email: "mailbox"
        }
    }
}
