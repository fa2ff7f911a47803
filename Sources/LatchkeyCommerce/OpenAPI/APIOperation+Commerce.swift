import LatchkeyModel
import LatchkeyServerKit
import LatchkeyWire

extension APIOperation {
    static let getStorefront = APIOperation(
        "getStorefront",
        "Returns the account's storefront, or a guess if there is no session.",
        details: """
            The account's trait `region` determines the storefront. If there is no session, if the account has \
            no region, or if the region has no storefront, it is guessed from `Accept-Language`.
            """,
        parameters: [.language],
        [APIResponse(200, "The storefront."), .noSession, .certificateRequired]
    )

    static let listProducts = APIOperation(
        "listProducts",
        "Returns the products that are sold in the storefront, with their prices.",
        parameters: [
            .query("id", "Returns only this product. Can be repeated up to 100 times."), .language,
        ],
        [
            APIResponse(
                200,
                "The products, in the order of the requested ids, or in catalog order if no ids are given."
            ),
            .noSession, .certificateRequired,
        ]
    )

    static let listPaymentMethods = APIOperation(
        "listPaymentMethods",
        "Lists the payment methods of the account, oldest first.",
        [
            APIResponse(200, "The payment methods."),
            .noSession, .certificateRequired,
        ]
    )

    static let addPaymentMethod = APIOperation(
        "addPaymentMethod",
        "Adds a payment method.",
        details: """
            Only the four sandbox card numbers are accepted, so real card numbers are never stored. The \
            server stores a random token and the last four digits.
            """,
        [
            APIResponse(201, "The payment method."),
            .refusal(
                400,
                "The body is malformed, or the number is not a sandbox card number (`card_not_accepted`)."
            ),
            .refusal(409, "`too_many_payment_methods`: the account already has 10 payment methods."),
            .noSession, .certificateRequired, .tooManyRequests,
        ]
    )

    static let changePaymentMethod = APIOperation(
        "changePaymentMethod",
        "Makes a payment method the default.",
        parameters: [.path("id", "The id of the payment method.", .uuid)],
        [
            APIResponse(200, "The payment method."),
            .refusal(404, "The account has no such payment method."),
            .noSession, .certificateRequired,
        ]
    )

    static let removePaymentMethod = APIOperation(
        "removePaymentMethod",
        "Removes a payment method. The operation is idempotent.",
        details: """
            Deferred transactions that use the payment method fail. If it was the default, the newest remaining \
            payment method becomes the default.
            """,
        parameters: [.path("id", "The id of the payment method.", .uuid)],
        [
            APIResponse(204, "The account no longer has the payment method."),
            .refusal(404, "The id is malformed."),
            .noSession, .certificateRequired,
        ]
    )

    static let order = APIOperation(
        "orderProduct",
        "Orders a product.",
        details: """
            Repeating a request with the same key and body returns the same transaction in its current state \
            and never charges twice. If a client receives no response, it should repeat the request with the \
            same key.
            """,
        parameters: [
            .header(
                OrderBody.idempotencyField,
                "Identifies the order: 1 to 128 visible ASCII characters, unique in the account.",
                .matching("^[!-~]{1,128}$"),
                isRequired: true
            ), .language,
        ],
        [
            APIResponse(201, "The order was accepted, and the purchase has started."),
            APIResponse(200, "The same order was accepted earlier."),
            .refusal(404, "`product_unavailable`: the product is not sold in the account's storefront."),
            .refusal(
                409,
                """
                `price_changed`: the price differs from the one in the body. `idempotency_key_reused`: the key \
                was used for a different order. `payment_method_required`: the account does not have this \
                payment method, or has none at all. `already_purchased`: the account already owns the \
                non-consumable product. `purchase_pending`: the account is already buying the \
                non-consumable product.
                """
            ),
            .noSession, .certificateRequired, .tooManyRequests,
        ]
    )

    static let confirmTransaction = APIOperation(
        "confirmTransaction",
        "Confirms or denies a deferred transaction.",
        details: """
            This operation simulates a confirmation outside the app, such as 3-D Secure. It has no effect if \
            the transaction is not deferred.
            """,
        parameters: [.transactionID],
        [
            APIResponse(200, "The transaction in its current state."), .noTransaction,
            .noSession,
            .certificateRequired,
        ]
    )

    static let listTransactions = APIOperation(
        "listTransactions",
        "Lists the transactions of the account, oldest first.",
        parameters: [
            .query(
                "unfinished",
                "Whether to return only transactions that the app has not finished.",
                .boolean
            ),
            .pageSize,
            .query("page_token", "The `next_page_token` of the previous page."),
        ],
        [
            APIResponse(200, "The transactions."),
            .noSession, .certificateRequired,
        ]
    )

    static let getTransaction = APIOperation(
        "getTransaction",
        "Returns a transaction of the account.",
        parameters: [.transactionID],
        [
            APIResponse(200, "The transaction."), .noTransaction, .noSession,
            .certificateRequired,
        ]
    )

    static let finishTransaction = APIOperation(
        "finishTransaction",
        "Reports that the app has delivered the content of a transaction. The operation is idempotent.",
        parameters: [.transactionID],
        [
            APIResponse(200, "The transaction."), .noTransaction,
            .refusal(409, "`transaction_pending`: the transaction has no result yet."),
            .noSession, .certificateRequired,
        ]
    )

    static let listEntitlements = APIOperation(
        "listEntitlements",
        "Lists the non-consumable products that the account owns.",
        [
            APIResponse(200, "The entitlements."),
            .noSession, .certificateRequired,
        ]
    )

    static let restorePurchases = APIOperation(
        "restorePurchases",
        "Returns the account's non-consumable purchases, so that the app can deliver them again.",
        [
            APIResponse(200, "The purchases, oldest first."),
            .noSession, .certificateRequired, .tooManyRequests,
        ]
    )

    static let getPurchaseHistory = APIOperation(
        "getPurchaseHistory",
        "Returns the account's signed purchase history, for use by an app's backend.",
        details: """
            The history is a compact JWS (ES256) of type `purchases+jwt`. The key is in the server's JWK Set. \
            The `purchases` claim contains up to 1,000 of the newest purchases, oldest first. The backend must \
            verify the signature, the type, `iss`, `aud` and `exp`.
            """,
        parameters: [.query("app", "The app's id, which becomes the audience.", isRequired: true)],
        [
            APIResponse(200, "The history."), .noSession,
            .certificateRequired, .tooManyRequests,
        ]
    )

    static let listAllTransactions = APIOperation(
        "listTransactionsOfAllAccounts",
        "Lists purchase transactions, newest first.",
        parameters: [
            .pageSize, .pageToken, .query("identity", "Returns only transactions of this account.", .uuid),
            .query("state", "Returns only transactions in this state.", .oneOf(TransactionState.allCases)),
        ],
        [
            APIResponse(
                200,
                "The transactions.",
                .array(AdministeredTransactionBody.schema),
                headers: [.link]
            )
        ]
    )

    static let refundTransaction = APIOperation(
        "refundTransaction",
        "Refunds a purchase. The operation is idempotent.",
        parameters: [.transactionID],
        [
            APIResponse(200, "The refunded transaction."),
            .refusal(404, "The transaction does not exist."),
            .refusal(409, "`transaction_not_purchased`: the transaction has not been charged."),
        ]
    )
}

extension APIParameter {
    fileprivate static let transactionID = APIParameter.path("id", "The id of the transaction.", .uuid)
}

extension APIResponse {
    fileprivate static let noSession = APIResponse.refusal(
        401,
        "`session_inactive`: the request has no active session."
    )

    fileprivate static let certificateRequired = APIResponse.refusal(
        403,
        "`device_certificate_required`: the session requires a device certificate before it can be used."
    )

    fileprivate static let noTransaction = APIResponse.refusal(404, "The account has no such transaction.")
}
