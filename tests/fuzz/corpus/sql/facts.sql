UPDATE store_facts SET value = 'x'; ;
