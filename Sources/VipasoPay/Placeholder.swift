// Module VipasoPay.
