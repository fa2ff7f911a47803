import LatchkeyModel
import LatchkeyServerKit
import LatchkeyWire

extension APIOperation {
    static let getStorefront = APIOperation(
        "getStorefront",
        "Returns the storefront of the account, or a guess without a session.",
        details: """
            The storefront is that of the trait `region` of the account. Without a session, without a region, and in a \
            region that the catalog does not serve, it is guessed from `Accept-Language`.
            """,
        credential: .session(isRequired: false),
        parameters: [.language],
        [APIResponse(200, "The storefront.", .component(.storefront)), .noSession, .certificateRequired]
    )

    static let listProducts = APIOperation(
        "listProducts",
        "Returns products of the storefront with their prices.",
        credential: .session(isRequired: false),
        parameters: [
            .query("id", "Returns only this product. Can be repeated up to 100 times."), .language,
        ],
        [
            APIResponse(
                200,
                "The products, in the order of the ids or else of the catalog.",
                .object([
                    .required("storefront", .component(.storefront)),
                    .required("products", .array(.component(.product))),
                    .required("unknown_ids", .array(.text)),
                ])
            ),
            .noSession, .certificateRequired,
        ]
    )

    static let listPaymentMethods = APIOperation(
        "listPaymentMethods",
        "Lists the payment methods of the account, oldest first.",
        credential: .anyToken,
        [
            APIResponse(
                200,
                "The payment methods.",
                .object([.required("payment_methods", .array(.component(.paymentMethod)))])
            ),
            .noSession, .certificateRequired,
        ]
    )

    static let addPaymentMethod = APIOperation(
        "addPaymentMethod",
        "Adds a payment method.",
        details: """
            Only the four numbers of the sandbox are accepted, so that no real card number is ever stored. The server \
            stores a random token and the last four digits.
            """,
        credential: .anyToken,
        body: APIBody(
            schema: .object(
                [
                    .required("kind", .oneOf(PaymentMethodKind.allCases)),
                    .required("number", .text),
                    .optional("is_default", .boolean),
                ],
                isOpen: true
            )
        ),
        [
            APIResponse(201, "The payment method.", .component(.paymentMethod)),
            .refusal(
                400,
                "`card_not_accepted`: this is not a number of the sandbox; or the body is malformed."
            ),
            .refusal(409, "`too_many_payment_methods`: the account has 10 payment methods."),
            .noSession, .certificateRequired, .tooManyRequests,
        ]
    )

    static let changePaymentMethod = APIOperation(
        "changePaymentMethod",
        "Makes a payment method the default.",
        credential: .anyToken,
        parameters: [.path("id", "The id of the payment method.", .uuid)],
        body: APIBody(schema: .object([.required("is_default", .boolean)], isOpen: true)),
        [
            APIResponse(200, "The payment method.", .component(.paymentMethod)),
            .refusal(404, "The account has no such payment method."),
            .noSession, .certificateRequired,
        ]
    )

    static let removePaymentMethod = APIOperation(
        "removePaymentMethod",
        "Removes a payment method. The operation is idempotent.",
        details: """
            Deferred transactions with the payment method fail. If it was the default, the newest remaining payment \
            method becomes the default.
            """,
        credential: .anyToken,
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
            The same key and body again return the same transaction in its present state, and never charge twice. \
            Without a response, the client repeats the request with the same key.
            """,
        credential: .anyToken,
        parameters: [
            .header(
                OrderBody.idempotencyField,
                "Identifies the order: 1 to 128 visible ASCII characters, unique in the account.",
                .matching("^[!-~]{1,128}$"),
                isRequired: true
            ), .language,
        ],
        body: APIBody(
            schema: .object(
                [
                    .required("product_id", .text),
                    .optional("quantity", .integer(minimum: 1, maximum: Int64(OrderRequest.mostUnits))),
                    .optional("price", .component(.money)),
                    .optional("payment_method_id", .uuid),
                ],
                isOpen: true
            )
        ),
        [
            APIResponse(201, "The purchase has begun.", .transaction),
            APIResponse(200, "The same order was accepted before.", .transaction),
            .refusal(404, "`product_unavailable`: the product is not sold in the storefront of the account."),
            .refusal(
                409,
                """
                `price_changed`: the price differs from the one in the body. `idempotency_key_reused`: the key belongs \
                to another order. `payment_method_required`: the account does not have this payment method, or has \
                none. `already_purchased`, `purchase_pending`: the account owns the non-consumable product, or is \
                already buying it.
                """
            ),
            .noSession, .certificateRequired, .tooManyRequests,
        ]
    )

    static let confirmTransaction = APIOperation(
        "confirmTransaction",
        "Confirms or denies a deferred transaction.",
        details: """
            This operation stands for the confirmation outside the app, such as 3-D Secure. It has no effect on a \
            transaction that is not deferred.
            """,
        credential: .anyToken,
        parameters: [.transactionID],
        body: APIBody(schema: .object([.required("approve", .boolean)], isOpen: true)),
        [
            APIResponse(200, "The transaction in its present state.", .transaction), .noTransaction,
            .noSession,
            .certificateRequired,
        ]
    )

    static let listTransactions = APIOperation(
        "listTransactions",
        "Lists the transactions of the account, oldest first.",
        credential: .anyToken,
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
            APIResponse(
                200,
                "The transactions.",
                .object([
                    .required("transactions", .array(.component(.transaction))),
                    .optional("next_page_token", .text),
                ])
            ),
            .noSession, .certificateRequired,
        ]
    )

    static let getTransaction = APIOperation(
        "getTransaction",
        "Returns a transaction of the account.",
        credential: .anyToken,
        parameters: [.transactionID],
        [
            APIResponse(200, "The transaction.", .transaction), .noTransaction, .noSession,
            .certificateRequired,
        ]
    )

    static let finishTransaction = APIOperation(
        "finishTransaction",
        "Reports that the app has delivered the content of a transaction. The operation is idempotent.",
        credential: .anyToken,
        parameters: [.transactionID],
        [
            APIResponse(200, "The transaction.", .transaction), .noTransaction,
            .refusal(409, "`transaction_pending`: the transaction has no result yet."),
            .noSession, .certificateRequired,
        ]
    )

    static let listEntitlements = APIOperation(
        "listEntitlements",
        "Lists the non-consumable products that the account owns.",
        credential: .anyToken,
        [
            APIResponse(
                200,
                "The entitlements.",
                .object([
                    .required(
                        "entitlements",
                        .array(
                            .object([
                                .required("product_id", .text), .required("transaction_id", .uuid),
                                .required("granted_at", .time),
                            ])
                        )
                    )
                ])
            ),
            .noSession, .certificateRequired,
        ]
    )

    static let restorePurchases = APIOperation(
        "restorePurchases",
        "Returns the purchases of non-consumable products, so that the app delivers them again.",
        credential: .anyToken,
        [
            APIResponse(
                200,
                "The purchases, oldest first.",
                .object([.required("transactions", .array(.component(.transaction)))])
            ),
            .noSession, .certificateRequired, .tooManyRequests,
        ]
    )

    static let getPurchaseHistory = APIOperation(
        "getPurchaseHistory",
        "Returns the signed purchase history of the account, for the back end of an app.",
        details: """
            The history is a compact JWS (ES256) of the type `purchases+jwt`, whose key is in the server's JWK Set. Its \
            claim `purchases` contains the newest 1,000 purchases, oldest first. The back end verifies the signature, \
            the type, `iss`, `aud` and `exp`.
            """,
        credential: .anyToken,
        parameters: [.query("app", "The id of the app, which becomes the audience.", isRequired: true)],
        [
            APIResponse(200, "The history.", .object([.required("history", .text)])), .noSession,
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
                .array(.component(.administeredTransaction)),
                headers: [.link]
            )
        ]
    )

    static let refundTransaction = APIOperation(
        "refundTransaction",
        "Returns the money of a purchase. The operation is idempotent.",
        parameters: [.transactionID],
        [
            APIResponse(200, "The refunded transaction.", .component(.administeredTransaction)),
            .refusal(404, "There is no such transaction."),
            .refusal(409, "`transaction_not_purchased`: nothing was charged."),
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
