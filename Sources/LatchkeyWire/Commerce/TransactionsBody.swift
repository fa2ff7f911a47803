/// A single transaction.
package struct TransactionReply: AnswerBody, DocumentedBody {
    /// The status is 201 if the request has created the transaction.
    package static let statuses: Set<Int> = [200, 201]

    package var transaction: TransactionBody

    package enum CodingKeys: String, CodingKey, CaseIterable {
        case transaction
    }

    package static let schema = JSONSchema.object([.required(CodingKeys.transaction, TransactionBody.schema)])

    package init(transaction: TransactionBody) {
        self.transaction = transaction
    }
}

/// A page of transactions, oldest first.
package struct TransactionsBody: AnswerBody, DocumentedBody {
    package var transactions: [Listed<TransactionBody>]
    /// A token for requesting the next page, or `nil` on the last page.
    package var nextPageToken: String?

    package enum CodingKeys: String, CodingKey, CaseIterable {
        case transactions
        case nextPageToken = "next_page_token"
    }

    package static let schema = JSONSchema.object([
        .required(CodingKeys.transactions, .array(TransactionBody.schema)),
        .optional(CodingKeys.nextPageToken, .text),
    ])

    package init(transactions: [TransactionBody], nextPageToken: String?) {
        self.transactions = transactions.map { .readable($0) }
        self.nextPageToken = nextPageToken
    }
}

/// The purchases of non-consumable products that can be delivered again, oldest first.
package struct RestoredPurchasesBody: AnswerBody, DocumentedBody {
    package var transactions: [TransactionBody]

    package enum CodingKeys: String, CodingKey, CaseIterable {
        case transactions
    }

    package static let schema = JSONSchema.object([
        .required(CodingKeys.transactions, .array(TransactionBody.schema))
    ])

    package init(transactions: [TransactionBody]) {
        self.transactions = transactions
    }
}
